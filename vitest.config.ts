import { defineConfig } from 'vitest/config';

/** Left out on Windows as a whole, each for its reason. Single tests say theirs in their file. */
const POSIX_ONLY: Readonly<Record<string, string>> = {
  'tests/engine/{find,passing-trouble}.test.ts':
    'engines by their permission bits, loaders, headers and files being written',
  'tests/hostile/{dead-mount,swapped-files}.test.ts':
    'file systems that hang, and links that are swapped while shell engines run',
  'tests/hostile/{load,environment}.test.ts': 'shell engines that are then the engine itself, /proc and /dev/fd',
  'tests/stdio/slow-reader.test.ts': 'a pipe that is not read, by its size on Linux, and shell engines',
  'tests/wasm/**': 'installations made of symbolic links',
  'tests/clients.test.ts': 'wrappers that are shell scripts',
  'tests/bundle.test.ts': 'permission bits, and stand-ins for Electron that are shell scripts',
};

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    exclude: process.platform === 'win32' ? Object.keys(POSIX_ONLY) : [],
    globalSetup: ['tests/scripts/windows/launcher.mjs'],
    // For a machine that has much else to do. What is promised about time is measured in the tests themselves.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // The result as JSON is what .ci/run counts.
    reporters: ['default', ['json', { outputFile: '.vitest/result.json' }]],
  },
});
