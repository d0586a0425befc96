import type Stripe from 'stripe'

/** The provider's words about a failed call, without its message, which may quote what was sent. */
export interface Failure {
  type: string
  code?: string
  param?: string
  requestId?: string
}

export type NoteFailure = (failure: Failure) => void

/** Notes each attempt that fails. */
export function notingFailures(client: Stripe.HttpClient, note: NoteFailure): Stripe.HttpClient {
  const send = client.makeRequest.bind(client)
  client.makeRequest = async (...call) => {
    const response = await send(...call).catch((error: unknown) => {
      note({ type: 'connection' })
      throw error
    })
    if (response.getStatusCode() < 400) return response
    const read = response.toJSON.bind(response)
    response.toJSON = async () => {
      const body: unknown = await read()
      note(failureOf(body, response.getHeaders()['request-id']))
      return body
    }
    return response
  }
  return client
}

function failureOf(body: unknown, requestId: unknown): Failure {
  const { type, code, param } = Object(Object(body).error)
  return {
    type: typeof type === 'string' ? type : 'unknown',
    ...(typeof code === 'string' && { code }),
    ...(typeof param === 'string' && { param }),
    ...(typeof requestId === 'string' && { requestId }),
  }
}
