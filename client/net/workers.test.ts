import { expect, test, vi } from 'vitest'
import { createWorker } from './workers.ts'

test('A page that is left ends its worker, which would keep its locks where the page is kept for Back; shown again, it is loaded anew', () => {
  const page = new EventTarget()
  const did: string[] = []
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
  vi.stubGlobal('location', { reload: () => did.push('reload') })
  vi.stubGlobal(
    'Worker',
    class {
      terminate = () => did.push('terminate')
    },
  )
  createWorker()
  page.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: false }))
  expect(did).toEqual([])
  page.dispatchEvent(new Event('pagehide'))
  page.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }))
  expect(did).toEqual(['terminate', 'reload'])
})
