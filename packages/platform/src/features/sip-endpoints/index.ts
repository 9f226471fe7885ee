export { createSipEndpoints, type SipEndpointsFeature } from './create-sip-endpoints.ts';
export { createMayDial } from './registrations/may-dial.ts';
