import { isHidden, isReached, isServed } from './torsettings.ts'
import { ConfigError, read, readChoice, readUrl, type Variables } from './variables.ts'

export type CardSettings =
  /** `why`: said at the start. */
  { provider: 'stripe'; secretKey: string; webhookSecret: string; why?: string } | { provider: 'sandbox' | 'off'; why?: string }

/** Real money moves by these keys. */
export const isLiveKey = (secretKey: string): boolean => /^[sr]k_live_/.test(secretKey)
export const hasTestCards = (settings: CardSettings): boolean =>
  settings.provider === 'sandbox' || (settings.provider === 'stripe' && !isLiveKey(settings.secretKey))

const KEY = 'a key of Stripe (sk_live_..., rk_live_..., sk_test_... or rk_test_...)'
const KEY_SHAPE = /^[sr]k_(test|live)_\w+$/

const TEST_CARDS =
  'Test cards give paid plans on this server, and no real money moves: PLANS_FOR_TEST_CARDS is on, and the key is a test key'

const OFF_BY_HOST =
  'Cards are off: HOST lets other machines connect, and the sandbox would give them paid plans. CARD_PROVIDER=sandbox allows that'

/** The sandbox gives a paid plan for nothing: production refuses it. */
export function readCard(variables: Variables): CardSettings {
  const [secretKey, webhookSecret] = [read(variables, 'STRIPE_SECRET_KEY'), read(variables, 'STRIPE_WEBHOOK_SECRET')]
  if (secretKey && !webhookSecret) throw new ConfigError('STRIPE_WEBHOOK_SECRET', 'set together with STRIPE_SECRET_KEY', '')
  if (webhookSecret && !secretKey) throw new ConfigError('STRIPE_SECRET_KEY', 'set together with STRIPE_WEBHOOK_SECRET', '')
  if (secretKey && !KEY_SHAPE.test(secretKey)) throw new ConfigError('STRIPE_SECRET_KEY', KEY, 'something else')
  const isProduction = read(variables, 'NODE_ENV') === 'production'
  const usual = secretKey ? 'stripe' : isReached(variables) ? 'off' : 'sandbox'
  const provider = readChoice(variables, 'CARD_PROVIDER', ['stripe', 'sandbox', 'off'], usual)
  if (provider !== 'off' && read(variables, 'TOR') === 'required')
    throw new ConfigError('CARD_PROVIDER', 'off with TOR=required: the provider’s messages do not come over Tor', provider)
  if (provider === 'sandbox' && isProduction) throw new ConfigError('CARD_PROVIDER', 'stripe or off in production', provider)
  const isUnasked = provider === 'off' && read(variables, 'CARD_PROVIDER') === undefined && !isServed(variables)
  if (provider !== 'stripe') return { provider, ...(isUnasked && { why: OFF_BY_HOST }) }
  if (!secretKey || !webhookSecret) throw new ConfigError('STRIPE_SECRET_KEY', 'set for CARD_PROVIDER=stripe', '')
  if ((!isProduction && !isReached(variables)) || isLiveKey(secretKey)) return { provider, secretKey, webhookSecret }
  if (readChoice(variables, 'PLANS_FOR_TEST_CARDS', ['on', 'off'], 'off') === 'on')
    return { provider, secretKey, webhookSecret, why: TEST_CARDS }
  throw new ConfigError(
    'PLANS_FOR_TEST_CARDS',
    'on for a test key where others reach the server: test cards give paid plans for nothing',
    'off',
  )
}

export interface FrameSettings {
  origin: string
  /** Public. */
  publishableKey: string
}

export function readFrame(variables: Variables): FrameSettings | undefined {
  const origin = readFrameOrigin(variables)
  const publishableKey = read(variables, 'STRIPE_PUBLISHABLE_KEY')
  if (publishableKey !== undefined && !/^pk_(test|live)_\w+$/.test(publishableKey))
    throw new ConfigError('STRIPE_PUBLISHABLE_KEY', 'the public key of the account at Stripe, pk_...', publishableKey)
  const secretKey = read(variables, 'STRIPE_SECRET_KEY')
  if (publishableKey && secretKey && publishableKey.startsWith('pk_live_') !== isLiveKey(secretKey))
    throw new ConfigError('STRIPE_PUBLISHABLE_KEY', 'of the same mode as STRIPE_SECRET_KEY', publishableKey)
  if (origin === undefined) return undefined
  const { provider } = readCard(variables)
  if (provider === 'off') throw new ConfigError('CHECKOUT_ORIGIN', 'absent where no cards are taken', origin)
  if (provider === 'sandbox') return { origin, publishableKey: 'pk_test_sandbox' }
  if (publishableKey === undefined) throw new ConfigError('STRIPE_PUBLISHABLE_KEY', 'set together with CHECKOUT_ORIGIN', '')
  return { origin, publishableKey }
}

/** The ports of one host share cookies. */
export function readFrameOrigin(variables: Variables): string | undefined {
  const expected = 'an origin such as https://pay.example.org: another host than of PUBLIC_URL, https where that is, and no onion'
  const publicUrl = readUrl(variables, 'PUBLIC_URL', ['http:', 'https:'], 'an address')
  const url = readUrl(variables, 'CHECKOUT_ORIGIN', publicUrl?.protocol === 'https:' ? ['https:'] : ['http:', 'https:'], expected)
  if (!url) return undefined
  const isOrigin = url.href === `${url.origin}/` && /^[a-z0-9.-]+$/.test(url.hostname) && !/(^|\.)onion$/.test(url.hostname)
  const taken = publicUrl ? [publicUrl.hostname] : ['localhost', '127.0.0.1']
  if (!isOrigin || taken.includes(url.hostname) || isHidden(variables))
    throw new ConfigError('CHECKOUT_ORIGIN', expected, url.href)
  return url.origin
}
