export type { AnsweringApplication, AnsweringApplications } from './answering/answering.ts';
export { attachableApplications } from './answering/attachable.ts';
export { createApplications } from './create-applications.ts';
