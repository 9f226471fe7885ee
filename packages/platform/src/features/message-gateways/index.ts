export type { GatewayAccess, HttpAccess, MessageGateway, SmppAccess } from './domain/gateway.ts';
export { type ReadGateways, readGateways } from './domain/read-gateways.ts';
export { createMessageGateways, type LinkedGateway } from './message-gateways.ts';
