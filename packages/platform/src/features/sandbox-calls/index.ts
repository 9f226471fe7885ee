export {
  createSandboxCalls,
  type SandboxCallsDeps,
  type SandboxNetwork,
  sandboxCallsMigrations,
} from './create-sandbox-calls.ts';
