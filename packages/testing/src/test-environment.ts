/** The variables that choose the world of a suite, so that its files stay as they are. */
export function testEnvironment(): Readonly<Record<string, string | undefined>> {
  const { JACKFIELD_TEST_SERVER, JACKFIELD_TEST_SIP, JACKFIELD_TEST_HOST } = process.env;
  return { JACKFIELD_TEST_SERVER, JACKFIELD_TEST_SIP, JACKFIELD_TEST_HOST };
}
