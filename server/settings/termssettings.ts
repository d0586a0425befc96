import { TERMS_LIMITS, type Terms } from '../../contract/money/terms.ts'
import { ConfigError, read, readChoice, readUrl, type Variables } from './variables.ts'

const URL_EXPECTED = `an address such as https://example.org/terms, of at most ${TERMS_LIMITS.urlMax} characters`
const VERSION = new RegExp(`^[\\w .:-]{1,${TERMS_LIMITS.versionMax}}$`)

/** undefined: nobody is asked for consent. */
export function readTerms(variables: Variables): Terms | undefined {
  const url = readUrl(variables, 'TERMS_URL', ['https:', 'http:'], URL_EXPECTED)?.href
  const version = read(variables, 'TERMS_VERSION')
  const asksWithdrawal = readChoice(variables, 'TERMS_WITHDRAWAL', ['on', 'off'], 'off') === 'on'
  if (url === undefined) {
    if (version !== undefined) throw new ConfigError('TERMS_URL', 'set together with TERMS_VERSION', '')
    if (asksWithdrawal) throw new ConfigError('TERMS_URL', 'set together with TERMS_WITHDRAWAL', '')
    return undefined
  }
  if (url.length > TERMS_LIMITS.urlMax) throw new ConfigError('TERMS_URL', URL_EXPECTED, 'a longer one')
  if (version === undefined || !VERSION.test(version))
    throw new ConfigError(
      'TERMS_VERSION',
      `up to ${TERMS_LIMITS.versionMax} letters and digits such as 2026-11-30, set together with TERMS_URL`,
      version ?? '',
    )
  return { url, version, asksWithdrawal }
}
