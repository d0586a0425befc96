import { afterEach, expect, test, vi } from 'vitest'
import { sendBytes } from './transfer.ts'

afterEach(() => vi.unstubAllGlobals())

/** A browser whose requests are answered so. */
function answers(status: number, body: string): void {
  class Request {
    status = 0
    statusText = ''
    response: Blob | undefined
    upload = {}
    onload = (): void => undefined
    open = (): void => undefined
    setRequestHeader = (): void => undefined
    send(): void {
      this.status = status
      this.response = new Blob([body])
      queueMicrotask(() => this.onload())
    }
  }
  vi.stubGlobal('XMLHttpRequest', Request)
}

const sends = (address: string) => sendBytes(address, new Blob(['x']), {})

test('Bytes go nowhere without an address: a browser would send them to that of the page', async () => {
  answers(200, '')
  await expect(sends('')).rejects.toMatchObject({ status: 400, message: 'Cannot upload to an undefined URL' })
})

test('An upload that is refused says the words of the answer, and that it was refused where there are none', async () => {
  answers(403, '{"error":"Request has expired","code":"upload_expired"}')
  await expect(sends('/objects/uploads/1')).rejects.toMatchObject({ status: 403, message: 'Request has expired' })
  answers(502, '')
  await expect(sends('/objects/uploads/1')).rejects.toMatchObject({
    status: 502,
    message: 'The server is busy or stopping. Try again',
  })
})
