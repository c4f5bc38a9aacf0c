/*
 * The entry of the bundle for desktop clients, which put a person's settings into arguments: a list of folders cannot be
 * put into an environment variable there, and its placeholder would stay as it is. It is the same server, in this process:
 * a desktop client's runtime is Electron's, where another Node process cannot always be started.
 */
import { desktopConfig } from './desktop-config.js';
import { start } from './serve.js';

start(() => desktopConfig(process.argv.slice(2)));
