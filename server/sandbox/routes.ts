import type { FastifyInstance, FastifyReply } from 'fastify'
import { paymentsApi } from '../../contract/money/payments.ts'
import { SandboxError } from './objects.ts'
import { type Answer, answerCheckout, answerInvoice, answerPortal } from './pages.ts'
import type { Sandbox } from './sandbox.ts'
import { fontsOf, STYLE } from './style.ts'

const FORM_BYTES = 4096

/** The pages of the sandbox, below /sandbox. They need neither a session nor JavaScript. */
export function sandboxRoutes(app: FastifyInstance, sandbox: Sandbox, clientFolder?: string): void {
  sandbox.post = async ({ payload, signature }) => {
    const headers = { 'content-type': 'application/json', 'stripe-signature': signature }
    return (await app.inject({ method: 'POST', url: paymentsApi.webhook.path, headers, payload })).statusCode
  }
  // A server that stops takes no events any more. Whoever pays waits for theirs, so these are repetitions.
  app.addHook('preClose', async () => {
    sandbox.post = async () => undefined
  })
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: FORM_BYTES },
      (_request, body, done) => done(null, new URLSearchParams(String(body))),
    )
    const sendCss = (css: string) => (_request: unknown, reply: FastifyReply) => reply.type('text/css; charset=utf-8').send(css)
    scope.get('/sandbox/style.css', sendCss(STYLE))
    scope.get('/sandbox/fonts.css', sendCss(fontsOf(clientFolder)))
    const add = (path: string, answer: (id: string, form?: URLSearchParams) => Promise<Answer>) =>
      scope.route<{ Params: { id: string }; Body: unknown }>({
        method: ['GET', 'POST'],
        url: path,
        handler: async ({ params, body }, reply) => {
          const form = body instanceof URLSearchParams ? body : undefined
          return send(reply, await answer(params.id, form).catch(missing))
        },
      })
    add('/sandbox/checkout/:id', (id, form) => answerCheckout(sandbox, id, form))
    add('/sandbox/invoice/:id', (id, form) => answerInvoice(sandbox, id, form))
    add('/sandbox/portal/:id', (id, form) => answerPortal(sandbox, id, form))
  })
}

function missing(error: unknown): undefined {
  if (error instanceof SandboxError) return undefined
  throw error
}

function send(reply: FastifyReply, answer: Answer | undefined): FastifyReply {
  // A form of a page without a referrer would come without its origin, and be refused.
  reply.header('referrer-policy', 'same-origin')
  if (!answer) return reply.code(404).type('text/plain; charset=utf-8').send('The sandbox knows nothing of this address')
  if ('to' in answer) return reply.redirect(answer.to, 303)
  return reply.type('text/html; charset=utf-8').send(answer.html)
}
