// Empties dist before a build, so that a file removed from src cannot stay in the package.
import { rmSync } from 'node:fs';

rmSync(new URL('../../dist', import.meta.url), { recursive: true, force: true });
