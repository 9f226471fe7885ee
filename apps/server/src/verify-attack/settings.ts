import type { Target } from './target.ts';

/** The platform's settings that matter for attacks. */
export interface AppSettings {
  readonly codeLength: number;
  readonly codeExpiryMinutes: number;
  readonly maxValidations: number;
  readonly fraudShield: string;
  /** Messages to one recipient, and of the whole account. */
  readonly sendsPerHour: number;
  readonly accountSendsPerHour: number;
}

/** Settings of the app with this identifier, or of the default app. */
export async function readSettings(
  target: Target,
  limits: Pick<AppSettings, 'sendsPerHour' | 'accountSendsPerHour'>,
  appUuid: string | undefined,
): Promise<AppSettings> {
  const app = appUuid === undefined ? await defaultApp(target) : await appOf(target, appUuid);
  return {
    codeLength: Number(app.code_length),
    codeExpiryMinutes: Number(app.code_expiry),
    maxValidations: Number(app.max_validations),
    fraudShield: String(app.fraud_shield),
    ...limits,
  };
}

async function appOf(target: Target, uuid: string): Promise<Readonly<Record<string, unknown>>> {
  const { status, body } = await target.request('GET', `Verify/App/${uuid}/`);
  if (status !== 200) throw new Error(`the app ${uuid} cannot be read: ${String(body.error)}`);
  return body;
}

async function defaultApp(target: Target): Promise<Readonly<Record<string, unknown>>> {
  const { body } = await target.request('GET', 'Verify/App/');
  const apps = (body.objects ?? []) as readonly Readonly<Record<string, unknown>>[];
  const found = apps.find(({ is_default }) => is_default === true);
  if (found === undefined) throw new Error('the account has no default app');
  return found;
}
