/** Why no file system that never answers can be made here, or undefined where one can. */
export function whyNoDeadMount(): string | undefined;

/**
 * Makes an empty folder one whose every look waits in the kernel, as on a network share that is gone. Whoever made it must
 * not look into it either. Gives what ends it and lets all go that wait, or why it cannot be made.
 */
export function mountDead(folder: string): { end(): void } | string;
