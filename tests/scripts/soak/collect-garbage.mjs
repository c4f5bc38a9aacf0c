// Loaded into the server before its own code. At SIGUSR2 it collects what is garbage and tells, on stderr, how many bytes
// are still held: resident memory shows the largest load so far, not what is kept.
process.on('SIGUSR2', () => {
  // Twice: what the first round finalizes is freed by the second.
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  process.stderr.write(`soak: ${heapUsed + external}\n`);
});
