import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    globalSetup: ['tests/scripts/windows/launcher.mjs'],
    // For a machine that has much else to do. What is promised about time is measured in the tests themselves.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // The result as JSON is what .ci/run counts.
    reporters: ['default', ['json', { outputFile: '.vitest/result.json' }]],
  },
});
