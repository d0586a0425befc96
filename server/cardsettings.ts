import { ConfigError, read, readChoice, type Variables } from './variables.ts'

/** Who takes card payments: Stripe, the sandbox without real money, or nobody. */
export type CardSettings = { provider: 'stripe'; secretKey: string; webhookSecret: string } | { provider: 'sandbox' | 'off' }

/**
 * Stripe where its key is set. Without one the sandbox, if this machine alone can connect, or if it was chosen: whoever presses a button
 * there has a paid plan for nothing, so production refuses it.
 */
export function readCard(variables: Variables): CardSettings {
  const [secretKey, webhookSecret] = [read(variables, 'STRIPE_SECRET_KEY'), read(variables, 'STRIPE_WEBHOOK_SECRET')]
  if (secretKey && !webhookSecret) throw new ConfigError('STRIPE_WEBHOOK_SECRET', 'set together with STRIPE_SECRET_KEY', '')
  if (webhookSecret && !secretKey) throw new ConfigError('STRIPE_SECRET_KEY', 'set together with STRIPE_WEBHOOK_SECRET', '')
  const isProduction = read(variables, 'NODE_ENV') === 'production'
  const isServed = isProduction || read(variables, 'PUBLIC_URL') || read(variables, 'ONION_URL')
  const usual = secretKey ? 'stripe' : isServed ? 'off' : 'sandbox'
  const provider = readChoice(variables, 'CARD_PROVIDER', ['stripe', 'sandbox', 'off'], usual)
  if (provider === 'sandbox' && isProduction) throw new ConfigError('CARD_PROVIDER', 'stripe or off in production', provider)
  if (provider !== 'stripe') return { provider }
  if (!secretKey || !webhookSecret) throw new ConfigError('STRIPE_SECRET_KEY', 'set for CARD_PROVIDER=stripe', '')
  return { provider, secretKey, webhookSecret }
}
