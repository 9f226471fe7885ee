import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** What a NATS server and a user of it need for credentials files. */
export interface NatsCredentialFiles {
  /** Lines of the server's configuration: it admits users of one account. */
  readonly configuration: string;
  /** The credentials file of a new user of that account. */
  user(): Uint8Array;
}

/** Prefixes of keys as NATS writes them, by role; that of a seed stands in front of its role's. */
const roles = { operator: 14 << 3, account: 0, user: 20 << 3 } as const;
const seedPrefix = 18 << 3;

type Role = keyof typeof roles;

interface Key {
  readonly name: string;
  readonly seed: string;
  readonly privateKey: KeyObject;
}

const unlimited = -1;
const permissions = { pub: {}, sub: {} };
const traffic = { subs: unlimited, data: unlimited, payload: unlimited };

/** Makes an operator and an account, as the `nsc` tool of NATS does: Ed25519 keys in base32, and tokens that they sign. */
export function createNatsCredentials(): NatsCredentialFiles {
  const [operator, account] = [newKey('operator'), newKey('account')];
  const connections = { conn: unlimited, leaf: unlimited, imports: unlimited, exports: unlimited };
  const accountToken = tokenOf(account, operator, {
    type: 'account',
    limits: { ...traffic, ...connections, wildcards: true },
    default_permissions: permissions,
  });
  return {
    configuration: [
      `operator: "${tokenOf(operator, operator, { type: 'operator' })}"`,
      'resolver: MEMORY',
      `resolver_preload: { ${account.name}: "${accountToken}" }`,
    ].join('\n'),
    user() {
      const user = newKey('user');
      const token = tokenOf(user, account, { type: 'user', ...permissions, ...traffic });
      return Buffer.from(
        [
          '-----BEGIN NATS USER JWT-----',
          token,
          '------END NATS USER JWT------',
          '',
          '-----BEGIN USER NKEY SEED-----',
          user.seed,
          '------END USER NKEY SEED------',
          '',
        ].join('\n'),
      );
    },
  };
}

function newKey(role: Role): Key {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const prefix = roles[role];
  const bytesOf = (text: string | undefined) => Buffer.from(text ?? '', 'base64url');
  // A seed has 5 bits that say "seed" and 8 bits of the role, in two bytes.
  const seedHead = [seedPrefix | (prefix >> 5), (prefix & 31) << 3];
  return {
    name: encoded(Buffer.concat([Buffer.of(prefix), bytesOf(publicKey.export({ format: 'jwk' }).x)])),
    seed: encoded(Buffer.concat([Buffer.from(seedHead), bytesOf(privateKey.export({ format: 'jwk' }).d)])),
    privateKey,
  };
}

function tokenOf(subject: Key, issuer: Key, nats: object): string {
  const claims = {
    jti: subject.name,
    iat: Math.floor(Date.now() / 1000),
    iss: issuer.name,
    name: 'test',
    sub: subject.name,
    nats: { ...nats, version: 2 },
  };
  const parts = [{ typ: 'JWT', alg: 'ed25519-nkey' }, claims];
  const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${signed}.${sign(null, Buffer.from(signed), issuer.privateKey).toString('base64url')}`;
}

/** Base32 (RFC 4648) without padding, of the bytes and their CRC-16. */
function encoded(bytes: Buffer): string {
  const crc = Buffer.alloc(2);
  crc.writeUInt16LE(crc16(bytes));
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...Buffer.concat([bytes, crc])].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const digits = bits.match(/.{1,5}/g) ?? [];
  return digits.map((digit) => alphabet[Number.parseInt(digit.padEnd(5, '0'), 2)]).join('');
}

/** CRC-16 with the polynomial 0x1021 from 0, as XMODEM uses it. */
function crc16(bytes: Buffer): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc;
}
