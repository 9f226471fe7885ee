import type { AgreedCodec, AgreedMedia, LegStatistics, OpenedLeg, Secrets } from '@jackfield/ports';

/** The audio of a link as one side describes it to the other over the bus. */
export interface LinkAudio {
  readonly address: string;
  readonly port: number;
}

/** What both sides of a link agree on: the home of the leg chooses it. */
export interface LinkTerms {
  /** That of the leg, so that its packets pass as they are. */
  readonly codec: AgreedCodec;
  /** Master keys and salts of SRTP, base64: of the packets that the home of the leg sends, and of those that it receives. */
  readonly keyOfLeg: string;
  readonly keyOfRoom: string;
}

/**
 * Keys make a link deaf to every other sender, whatever addresses a NAT between the nodes shows. GCM is one pass over a packet
 * (RFC 7714); a key of 16 bytes and a salt of 12.
 */
const suite = 'AEAD_AES_128_GCM';
const keyBytes = 28;

/** RFC 3551 §6, and dynamic ones for the rest. */
const payloadTypes: Readonly<Record<AgreedCodec, number>> = { PCMU: 0, PCMA: 8, G722: 9, L16: 97, opus: 96 };
/** L16 has several rates; this one costs no band of a phone. */
const l16Hz = 16_000;

export function newTerms(secrets: Pick<Secrets, 'randomBytes'>, leg: LegStatistics | undefined): LinkTerms {
  const key = () => Buffer.from(secrets.randomBytes(keyBytes)).toString('base64');
  return { codec: leg?.codec ?? 'PCMU', keyOfLeg: key(), keyOfRoom: key() };
}

export function audioAt(address: string, { port }: OpenedLeg): LinkAudio {
  return { address, port };
}

/**
 * Keys of phones travel as orders between the nodes, so there are no telephone events: none arrives twice. Those for the phone are reported
 * at the home of the conversation, which has them from its streams as well.
 */
export function agreedWith(
  { address, port }: LinkAudio,
  { codec, keyOfLeg, keyOfRoom }: LinkTerms,
  side: 'leg' | 'room',
): AgreedMedia {
  const [sends, receives] = side === 'leg' ? [keyOfLeg, keyOfRoom] : [keyOfRoom, keyOfLeg];
  return {
    address,
    port,
    codec,
    ...(codec === 'L16' ? { clockRate: l16Hz } : {}),
    payloadType: payloadTypes[codec],
    direction: 'sendrecv',
    ptimeMs: 20,
    ...(side === 'room' ? { reportsKeys: true } : {}),
    protection: {
      by: 'sdes',
      suite,
      sendKey: Buffer.from(sends, 'base64'),
      receiveKey: Buffer.from(receives, 'base64'),
    },
  };
}
