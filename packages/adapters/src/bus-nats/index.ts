export { createNatsBus, type NatsBusOptions, type NatsCredentials } from './nats-bus.ts';
