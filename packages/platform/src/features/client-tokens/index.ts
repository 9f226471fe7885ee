export { createClientTokens } from './create-client-tokens.ts';
export type { TurnServer } from './ice/ice-servers.ts';
export { withClientNames } from './tokens/reachable.ts';
