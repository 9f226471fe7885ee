export { type ReadGateways, readGateways } from './configuration/read-gateways.ts';
export { createMessageGateways } from './create-message-gateways.ts';
export type { GatewayAccess, HttpAccess, MessageGateway, SmppAccess } from './domain/gateway.ts';
export type { LinkedGateway } from './sending/linked-gateway.ts';
