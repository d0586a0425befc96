import type Stripe from 'stripe'
import { Refusal } from '../../refuse.ts'
import type { OpenedSandbox } from '../../sandbox/open.ts'
import type { CardSettings } from '../../settings/cardsettings.ts'
import type { CardNotes } from './cardNotes.ts'
import { type NoteFailure, notingFailures } from './failures.ts'

export interface Card {
  provider: CardSettings['provider']
  /** Names a row of `card_providers`. */
  providerId: number
  /** Throws Refusal `card_off`. */
  client(): Promise<Stripe>
  /** The provider signs events by it. */
  webhookSecret: string
  warn: Warn
  notes: CardNotes
  /** The sandbox takes cards here. */
  inside?: OpenedSandbox
}

const TIMEOUT_MS = 20_000
const CHECK_MS = 5000

/** Tells the operator. */
export type Warn = (details: Record<string, string>, text: string) => void

/** A server without cards never loads the client. */
export function clientOf(settings: CardSettings, inside: OpenedSandbox | undefined, note: NoteFailure): () => Promise<Stripe> {
  let loading: Promise<Stripe> | undefined
  const load = async (): Promise<Stripe> => {
    const { default: Client } = await import('stripe')
    const options = { timeout: TIMEOUT_MS, telemetry: false }
    if (settings.provider === 'stripe') {
      const httpClient = notingFailures(Client.createNodeHttpClient(), note)
      return new Client(settings.secretKey, { ...options, httpClient, maxNetworkRetries: 2 })
    }
    if (!inside) throw new Refusal('card_off')
    const httpClient = notingFailures(Client.createFetchHttpClient(inside.fetch), note)
    return new Client('sk_test_sandbox', { ...options, httpClient, maxNetworkRetries: 0 })
  }
  return () => {
    if (settings.provider === 'off') return Promise.reject(new Refusal('card_off'))
    loading ??= load()
    return loading
  }
}

interface Parts extends Pick<Card, 'providerId' | 'warn' | 'notes' | 'inside'> {
  load: Card['client']
}

export const makeCard = (settings: CardSettings, { load, ...parts }: Parts): Card => ({
  ...{ provider: settings.provider, client: load, ...parts },
  webhookSecret: settings.provider === 'stripe' ? settings.webhookSecret : (parts.inside?.sandbox.webhookSecret ?? ''),
})

/** `refused`: the provider does not take this server's key. */
export async function checkCard(card: Card): Promise<'connected' | 'unreachable' | 'refused' | 'off'> {
  if (card.provider === 'off') return 'off'
  const client = await card.client()
  try {
    await client.subscriptions.list({ limit: 1 }, { timeout: CHECK_MS, maxNetworkRetries: 0 })
    return 'connected'
  } catch (error) {
    if (isOf(error, KEY_REFUSED)) return 'refused'
    if (isOf(error, SILENT)) return 'unreachable'
    throw error
  }
}

const KEY_REFUSED = ['StripeAuthenticationError', 'StripePermissionError']
const SILENT = ['StripeConnectionError', 'StripeRateLimitError', 'StripeAPIError']

const isOf = (error: unknown, types: string[]): boolean =>
  error instanceof Error && 'type' in error && types.includes(String(error.type))

/** The request itself was refused. */
export const isInvalid = (error: unknown): boolean => isOf(error, ['StripeInvalidRequestError'])

/** The provider does not know what the request names. */
export const isMissing = (error: unknown): boolean => isInvalid(error) && Object(error).code === 'resource_missing'

/** Throws Refusal if the provider declines the card or does not answer. */
export async function asked<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    // The provider writes for the payer.
    if (isOf(error, ['StripeCardError']) && error instanceof Error) throw new Refusal('card_refused', { text: error.message })
    if (isOf(error, [...SILENT, ...KEY_REFUSED])) throw new Refusal('card_unavailable', { retryAfterSeconds: 5 })
    throw error
  }
}
