export {
  createSandboxCalls,
  type SandboxCallsDeps,
  sandboxCallsMigrations,
} from './create-sandbox-calls.ts';
export type { SandboxNetwork } from './placing/phone-calls.ts';
