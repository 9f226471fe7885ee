import type { DialTarget } from '@jackfield/ports';
import { parseNameAddr, parseSipUri, type SipRequest } from '@jackfield/sip';
import type { Admitted } from '../admission/admission.ts';
import type { Gruus } from './gruus.ts';

/**
 * Names of one phone of an owner, by which its dialogs find it when it registers over another connection: its instance (RFC 5626 §4.1), and
 * user and host of its Contact, whose parameters differ from request to request.
 */
export function phoneNames(owner: string, contact: string, instance?: string): readonly string[] {
  const uri = parseSipUri(contact);
  return [
    ...(instance === undefined ? [] : [`${owner} ${instance}`]),
    ...(uri === undefined ? [] : [`${owner} ${uri.user ?? ''}@${uri.host}:${uri.port ?? ''}`]),
  ];
}

/** The owner of phones: the endpoint, or the user of a token without one; undefined for callers who do not register. */
export function ownerOf({ endpoint, user }: Pick<Admitted, 'endpoint' | 'user'>): string | undefined {
  return endpoint || user || undefined;
}

/** Names of the phone that sent an INVITE; its Contact may be a GRUU (RFC 5627 §4.4). */
export async function callerNames(
  request: SipRequest,
  admitted: Admitted,
  gruus: Gruus | undefined,
): Promise<readonly string[]> {
  const owner = ownerOf(admitted);
  const contact = parseNameAddr(request.headers.get('Contact') ?? '')?.uri;
  if (owner === undefined || contact === undefined) return [];
  if (!gruus?.isGruu(contact)) return phoneNames(owner, contact);
  const [, urn] = /;gr=(.+)$/.exec((await gruus.resolve(contact)) ?? '') ?? [];
  return urn === undefined ? [] : [`${owner} <${urn}>`];
}

/** Names of a phone that we call. */
export function calleeNames({ uri, phone }: DialTarget): readonly string[] {
  return phone === undefined ? [] : phoneNames(phone.endpoint, uri, phone.instance);
}
