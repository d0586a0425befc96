import type { Caller } from '../../ground/http/serve.ts'
import type { FrameSettings } from '../../settings/cardsettings.ts'
import type { Config } from '../../settings/config.ts'

/** That origin has this page and its script alone. */
export const FRAME_PAGE = '/checkout'
export const FRAME_SCRIPT = '/checkout.js'

interface Provider {
  script: string
  /** Sources of the policy, by directive. */
  sources: readonly (readonly [directive: string, sources: string])[]
}

/** https://docs.stripe.com/security/guide#content-security-policy, without the maps that complete addresses. */
const STRIPE: Provider = {
  script: 'https://js.stripe.com/endive/stripe.js',
  sources: [
    ['script-src', "'self' https://js.stripe.com https://*.js.stripe.com https://checkout.stripe.com"],
    ['connect-src', 'https://api.stripe.com https://checkout.stripe.com'],
    ['frame-src', 'https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com https://checkout.stripe.com'],
    ['img-src', 'https://*.stripe.com'],
  ],
}

const SANDBOX: Provider = {
  script: '/sandbox/stripe.js',
  sources: [
    ['script-src', "'self'"],
    ['connect-src', "'self'"],
    ['style-src', "'self'"],
  ],
}

const providerOf = ({ card }: Config): Provider => (card.provider === 'sandbox' ? SANDBOX : STRIPE)

/** An onion service asks no other server, and a policy names no IPv6. */
const isFramer = (origin: string): boolean => !/\.onion(:\d+)?$|\[/i.test(origin)

/** The messenger's origins; `port` accepted the connection. */
const framersOf = ({ direct }: Config, port: number | undefined): string[] => direct.origins(port).filter(isFramer)

/** Returns undefined if the browser cannot show the page. */
export function frameFor({ frame }: Config, { ingress, headers }: Pick<Caller, 'ingress' | 'headers'>): string | undefined {
  const { origin, host = '' } = headers
  const canShow = ingress === 'direct' && origin !== undefined && isFramer(origin) && isFramer(host)
  return frame && canShow ? frame.origin + FRAME_PAGE : undefined
}

export const frameHeaders = (config: Config, port: number | undefined): Record<string, string> => ({
  'content-security-policy': [
    "default-src 'none'",
    ...providerOf(config).sources.map((each) => each.join(' ')),
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${framersOf(config, port).join(' ') || "'none'"}`,
  ].join(';'),
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  // The provider learns this origin, not the messenger's.
  'referrer-policy': 'strict-origin',
  'x-content-type-options': 'nosniff',
  ...(config.direct.isSecure && { 'strict-transport-security': `max-age=${365 * 24 * 60 * 60}` }),
})

export const framePage = (config: Config, { publishableKey }: FrameSettings, port: number | undefined): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Payment by card</title><script src="${providerOf(config).script}"></script>
<script src="${FRAME_SCRIPT}" data-key="${publishableKey}" data-messengers="${framersOf(config, port).join(' ')}"></script>
</head><body><main id="form"></main></body></html>`

/**
 * Takes the client secret one time and answers that page alone: `begun`, `ready`, `completed` or `failed`.
 * https://docs.stripe.com/js/embedded_checkout
 */
export const FRAME_CODE = `'use strict'
{
  const { key, messengers } = document.currentScript.dataset
  const mayAsk = new Set(messengers.split(' '))
  let isAsked = false
  const show = async (clientSecret, tell) => {
    const fetchClientSecret = async () => clientSecret
    const onComplete = () => tell('completed')
    const form = await Stripe(key).createEmbeddedCheckoutPage({ fetchClientSecret, onComplete })
    form.mount('#form')
    tell('ready')
  }
  addEventListener('message', ({ source, origin, data }) => {
    if (isAsked || source !== parent || !mayAsk.has(origin) || typeof data?.clientSecret !== 'string') return
    isAsked = true
    const tell = (type) => parent.postMessage({ type }, origin)
    tell('begun')
    show(data.clientSecret, tell).catch((error) => {
      tell('failed')
      reportError(error)
    })
  })
}
`
