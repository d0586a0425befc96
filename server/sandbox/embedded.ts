import type { FastifyInstance } from 'fastify'
import { payCheckout } from './bills.ts'
import { asks3ds, SandboxError, type Session } from './objects.ts'
import { digits, NOT_CONFIRMED } from './pages.ts'
import { dollars } from './paper.ts'
import type { Sandbox } from './sandbox.ts'
import { STYLE } from './style.ts'

const PATH = '/sandbox/embedded'

/** An embedded checkout as its form shows it. `asks`: the bank wants to know whether it is the person. */
interface Shown {
  status: Session['status'] | 'asks'
  price: string
  name: string
  error: string
}

/** Stands in for the provider's script and for what that asks, at the origin of the page in the frame. `originOf` is the messenger's. */
export function frameRoutes(app: FastifyInstance, sandbox: Sandbox, originOf: (port: number | undefined) => string): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, new URLSearchParams(String(body))),
  )
  app.get('/sandbox/stripe.js', (_request, reply) => reply.type('text/javascript; charset=utf-8').send(SCRIPT))
  app.get('/sandbox/style.css', (_request, reply) => reply.type('text/css; charset=utf-8').send(STYLE))
  app.post<{ Body: unknown }>(PATH, async ({ body, socket }, reply) => {
    const form = body instanceof URLSearchParams ? body : new URLSearchParams()
    try {
      return await answerEmbedded(sandbox, originOf(socket.localPort), form)
    } catch (error) {
      if (!(error instanceof SandboxError)) throw error
      return reply.code(error.status).send({ error: error.message })
    }
  })
}

/** Shows a checkout to who has its client secret, and pays it where the form says so. Throws SandboxError. */
async function answerEmbedded(sandbox: Sandbox, origin: string, form: URLSearchParams): Promise<Shown> {
  const [secret, number, act] = [form.get('secret') ?? '', digits(form), form.get('act')]
  const id = secret.split('_secret_')[0] ?? ''
  const session = await sandbox.run((desk) => desk.find<Session>(id, 'checkout.session'))
  if (session.client_secret !== secret) throw new SandboxError(404, 'invalid_request_error', 'No such checkout.session')
  const shown = (status: Shown['status'], error = ''): Shown => ({
    ...{ status, error, price: dollars(session.amount_total) },
    name: `${session._price._name}, billed each ${session._price.recurring.interval}`,
  })
  if (session.status !== 'open' || act === null) return shown(session.status)
  if (act === 'failed') return shown('open', NOT_CONFIRMED)
  if (act !== 'confirmed' && asks3ds(number)) return shown('asks')
  try {
    await sandbox.run((desk) => payCheckout(desk, id, number, origin))
    await sandbox.deliver()
    return shown('complete')
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error
    return shown('open', error.message)
  }
}

/** What our page calls of Stripe.js: https://docs.stripe.com/js/embedded_checkout. */
const SCRIPT = `'use strict'
{
  const make = (name, fields, ...parts) => {
    const made = Object.assign(document.createElement(name), fields)
    made.append(...parts)
    return made
  }
  const style = make('link', { rel: 'stylesheet', href: '/sandbox/style.css' })
  globalThis.Stripe = () => ({
    async createEmbeddedCheckoutPage({ fetchClientSecret, onComplete }) {
      const secret = await fetchClientSecret()
      const ask = async (fields) => {
        const answer = await fetch('${PATH}', { method: 'POST', body: new URLSearchParams({ secret, ...fields }) })
        if (!answer.ok) throw new Error('The sandbox knows nothing of this checkout')
        return await answer.json()
      }
      let number = '4242 4242 4242 4242'
      const show = (place, { status, price, name, error }) => {
        const button = (act, words) => make('button', { value: act }, words)
        const form = make('form', {})
        const field = make('input', { inputMode: 'numeric', autocomplete: 'off', required: true, maxLength: 30, value: number })
        if (status === 'asks') form.append(button('confirmed', 'Complete authentication'), button('failed', 'Fail authentication'))
        else form.append(make('label', {}, 'Card number', field), button('pay', 'Pay ' + price))
        form.addEventListener('submit', async (event) => {
          event.preventDefault()
          number = field.value
          for (const each of form.elements) each.disabled = true
          show(place, await ask({ card: number, act: event.submitter.value }))
        })
        const said = status === 'complete' ? 'Paid.' : status === 'expired' ? 'This checkout is over. Nothing was paid.' : name
        place.replaceChildren(
          make('p', { className: 'banner', role: 'note' }, 'Sandbox, no real money'),
          make('h1', {}, status === 'asks' ? '3-D Secure' : 'Pay ' + price),
          make('p', {}, said),
          ...(error === '' ? [] : [make('p', { className: 'error', role: 'alert' }, error)]),
          ...(status === 'open' || status === 'asks' ? [form] : []),
        )
        if (status === 'complete') onComplete()
      }
      const first = await ask({})
      return {
        mount(where) {
          document.head.append(style)
          show(document.querySelector(where), first)
        },
      }
    },
  })
}
`
