export type { GatewayAccess, HttpAccess, MessageGateway, SmppAccess } from './domain/gateway.ts';
export { createMessageGateways, type LinkedGateway } from './message-gateways.ts';
export { type ReadGateways, readGateways } from './read-gateways.ts';
