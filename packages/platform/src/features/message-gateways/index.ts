export { type ReadGateways, readGateways } from './configuration/read-gateways.ts';
export { createMessageGateways, type LinkedGateway } from './create-message-gateways.ts';
export type { GatewayAccess, HttpAccess, MessageGateway, SmppAccess } from './domain/gateway.ts';
