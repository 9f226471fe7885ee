export {
  createSandboxMessages,
  type SandboxMessagesDeps,
} from './create-sandbox-messages.ts';
