import { readFileSync } from 'node:fs';

/** This server's version, as package.json (one folder above both src and dist) states it. */
export function serverVersion(): string {
  const manifest: { version: string } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return manifest.version;
}
