export { createClientTokens } from './create-client-tokens.ts';
export { withClientNames } from './tokens/reachable.ts';
