/** Names the variable. */
export class ConfigError extends Error {
  constructor(variable: string, expected: string, found: string) {
    super(`${variable} must be ${expected}, but it is "${found}"`)
    this.name = 'ConfigError'
  }
}

export type Variables = Record<string, string | undefined>

// Compose files pass unset variables as empty ones.
export function read(variables: Variables, name: string): string | undefined {
  return variables[name]?.trim() || undefined
}

export function readChoice<T extends string>(variables: Variables, name: string, choices: readonly T[], fallback: T): T {
  const text = read(variables, name)
  if (text === undefined) return fallback
  const choice = choices.find((each) => each === text)
  if (choice === undefined) throw new ConfigError(name, `one of ${choices.join(', ')}`, text)
  return choice
}

export function readUrl(
  variables: Variables,
  name: string,
  protocols: string[],
  expected: string,
  isShown = true,
): URL | undefined {
  const text = read(variables, name)
  if (text === undefined) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  // An address may hold a password.
  if (!url || !protocols.includes(url.protocol)) throw new ConfigError(name, expected, isShown ? text : 'something else')
  return url
}
