import { expect, test, vi } from 'vitest'
import { createWorker } from './workers.ts'

test('A page that is kept for Back ends its worker, which would keep its locks; shown again, it is loaded anew', () => {
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
  // A page that ends for good lets its worker keep what was just typed.
  for (const kind of ['pageshow', 'pagehide']) page.dispatchEvent(Object.assign(new Event(kind), { persisted: false }))
  expect(did).toEqual([])
  page.dispatchEvent(Object.assign(new Event('pagehide'), { persisted: true }))
  page.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }))
  expect(did).toEqual(['terminate', 'reload'])
})
