// The types of the SDK's version 1 name this DOM type, which Node's own types keep to themselves.
type HeadersInit = import('undici-types').HeadersInit;
