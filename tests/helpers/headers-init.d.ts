// The types of the SDK's version 1 name this DOM type, which Node's types have, but only as a part of this one.
type HeadersInit = NonNullable<RequestInit['headers']>;
