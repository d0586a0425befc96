import type { Ground } from './ground.ts'
import { median } from './numbers.ts'
import { startProgram, startWords } from './program.ts'
import { type Row, row } from './row.ts'
import { scratchFolder } from './scratch.ts'
import { openWire, requestOf, timed } from './wire.ts'

/** Measures the time from starting the process to its first answer, on existing data of the PostgreSQL that npm brings. */
export async function measureStart({ isQuick }: Ground): Promise<Row[]> {
  const dataFolder = scratchFolder('start')
  const health = requestOf('GET', '/api/health', '')
  const once = async () => {
    const startedAt = performance.now()
    const server = await startProgram(startWords(), {
      CONCLAVE_DATA: dataFolder,
      PORT: '0',
      NODE_ENV: 'production',
      TOR: 'off',
      LOG_LEVEL: 'warn',
    })
    const wire = await openWire(server.port)
    await timed(wire, health)
    const ms = performance.now() - startedAt
    wire.close()
    await server.stop()
    return ms
  }
  const cold = await once()
  const warm: number[] = []
  for (let round = 0; round < (isQuick ? 1 : 7); round++) warm.push(await once())
  const note = `as npm start; the first start, which makes the database, takes ${(cold / 1000).toFixed(2)} s`
  return [row('start', 'start to first answer, warm', median(warm) / 1000, 's', { atMost: 1.5, note })]
}
