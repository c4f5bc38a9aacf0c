// What the packages bring and this server never uses, with the reason; the rest of it esbuild finds by itself, because
// nothing imports it: the SDK's client and HTTP transports, zod's locales and its reader of JSON Schema.

/** Modules by their specifiers, each with what takes its place. */
const LEFT_OUT = {
  // The SDK's JSON Schema validator (ajv, 290 KB). It judges what a user typed into a form that a server asked for, and
  // output schemas given as JSON Schema. This server asks for no form, and its schemas validate by themselves.
  '@modelcontextprotocol/server/_shims': `
    export const { process } = globalThis;
    export class DefaultJsonSchemaValidator {
      getValidator() {
        throw new Error('this build has no JSON Schema validator');
      }
    }`,
};

/** The plugin of esbuild that puts the replacements in. */
export function leaveOut() {
  return {
    name: 'leave-out',
    setup: (builder) => {
      builder.onResolve({ filter: /^@/ }, ({ path }) =>
        path in LEFT_OUT ? { path, namespace: 'left-out' } : undefined,
      );
      builder.onLoad({ filter: /.*/, namespace: 'left-out' }, ({ path }) => ({ contents: LEFT_OUT[path] }));
    },
  };
}
