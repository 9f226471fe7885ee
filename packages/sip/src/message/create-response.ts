import { buildResponse, type ResponseFields } from './build-response.ts';
import type { SipRequest, SipResponse } from './message.ts';
import { reasonPhrase } from './reason-phrases.ts';

/** Builds a response by RFC 3261 §8.2.6, with the registered phrase of its status unless there is another one. */
export function createResponse(
  request: SipRequest,
  status: number,
  reason: string = reasonPhrase(status),
  fields: ResponseFields = {},
): SipResponse {
  return buildResponse(request, status, reason, fields);
}
