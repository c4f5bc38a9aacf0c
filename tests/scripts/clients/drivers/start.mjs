// The process in which one client runs, copied with its driver into the folder where the client is installed, so that
// the client's packages are found. It is told by a message which driver to run with what, and answers with a message.

process.once('message', async ({ driver, task }) => {
  try {
    const { default: run } = await import(`./${driver}.mjs`);
    answer({ seen: await run(task) });
  } catch (error) {
    answer({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});

function answer(message) {
  // Clients may leave timers and sockets behind; nothing of theirs is waited for.
  process.send(message, () => process.exit());
}
