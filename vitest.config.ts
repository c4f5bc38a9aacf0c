import { defineConfig } from 'vitest/config';

/** These play an engine by a shell script, or look at processes, links and permissions as POSIX has them. */
const POSIX_ONLY = [
  'tests/{bundle,cancel,clients,command-line,config,hosts,paths,stdio.e2e}.test.ts',
  'tests/engine/**',
  'tests/tools/**',
  'tests/hostile/**',
  'tests/stdio/{answers,end-of-input,slow-reader}.test.ts',
  'tests/wasm/**',
];

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    exclude: process.platform === 'win32' ? POSIX_ONLY : [],
    // For a machine that has much else to do. What is promised about time is measured in the tests themselves.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // The result as JSON is what .ci/run counts.
    reporters: ['default', ['json', { outputFile: '.vitest/result.json' }]],
  },
});
