import type { Database, Secrets } from '@jackfield/ports';
import type { OpenRoute } from '../../../http/index.ts';
import { accepted } from '../../../kernel/result.ts';
import type { Viewer } from '../queries.ts';
import { attemptsOf } from '../store.ts';
import { reading } from '../tables.ts';

/** The claims of a receipt; times in seconds since the epoch (RFC 7519 §2). */
interface ProofClaims {
  readonly iss: string;
  /** The account of the session. */
  readonly aud: string;
  /** The recipient in E.164. */
  readonly sub: string;
  /** The session. */
  readonly jti: string;
  /** When the code was verified. */
  readonly iat: number;
  readonly channel: string;
  readonly attempt_uuid: string;
  readonly app_uuid: string;
  /** When the session began. */
  readonly requested_at: number;
}

export interface Proofs {
  /** A compact JWS (RFC 7515); `not-verified` for a session in another state, undefined where there is none. */
  receiptOf(viewer: Viewer, session: string): Promise<string | 'not-verified' | undefined>;
  /** The public key, for the verification of receipts (RFC 7517). */
  readonly keys: OpenRoute;
  readonly keysUrl: string;
}

const keysPath = '/.well-known/jwks.json';
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Signed statements that a recipient was verified, when and how: evidence that does not rest on a callback. */
export function createProofs(deps: {
  readonly database: Database;
  readonly secrets: Secrets;
  readonly publicUrl: string;
}): Proofs {
  const { database, secrets, publicUrl } = deps;
  const tables = reading(database.read);
  // RFC 7638 §3: the thumbprint of the key names it.
  const kid = secrets
    .digest('sha256', `{"crv":"Ed25519","kty":"OKP","x":"${secrets.proofKey}"}`)
    .slice(0, 32);

  return {
    async receiptOf({ authId, isSubaccount }, uuid) {
      const row = await tables
        .selectFrom('verify_sessions')
        .selectAll()
        .where(isSubaccount ? 'account' : 'main_account', '=', authId)
        .where('session_uuid', '=', uuid.toLowerCase())
        .executeTakeFirst();
      if (row === undefined) return undefined;
      if (row.status !== 'verified') return 'not-verified';
      const last = (await attemptsOf(database, [row.session_uuid])).at(-1);
      const claims: ProofClaims = {
        iss: publicUrl,
        aud: row.account,
        sub: row.recipient,
        jti: row.session_uuid,
        iat: seconds(row.updated_at),
        channel: last?.channel ?? '',
        attempt_uuid: last?.attempt_uuid ?? '',
        app_uuid: row.app_uuid,
        requested_at: seconds(row.created_at),
      };
      const signed = `${encoded({ alg: 'EdDSA', typ: 'verification+jwt', kid })}.${encoded(claims)}`;
      return `${signed}.${secrets.signProof(signed)}`;
    },
    keys: {
      methods: ['GET'],
      path: keysPath,
      run: () =>
        accepted({
          keys: [{ kty: 'OKP', crv: 'Ed25519', x: secrets.proofKey, kid, alg: 'EdDSA', use: 'sig' }],
        }),
    },
    keysUrl: `${publicUrl}${keysPath}`,
  };
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
