import { randomUUID } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pino from 'pino'
import { makeApp } from '../app.ts'
import { openBucket } from '../chat/files/openBucket.ts'
import { makeMarkBatch } from '../chat/messages/markBatch.ts'
import { makePushQueue } from '../chat/push/queue.ts'
import { makeRings } from '../chat/push/rings.ts'
import { newVapidKey } from '../chat/push/vapid.ts'
import { makeBatch } from '../chat/rooms/batch.ts'
import { gatherMembers } from '../chat/rooms/membership.ts'
import { readFault } from '../fault.ts'
import { connect } from '../ground/db/connect.ts'
import { readSecret } from '../ground/db/secrets.ts'
import { makeLimits } from '../ground/http/limits.ts'
import { openOnion } from '../ground/onion/openOnion.ts'
import { makeMail } from '../ground/outbound/mail.ts'
import { makeOutbound } from '../ground/outbound/outbound.ts'
import { createHub } from '../ground/realtime/hub.ts'
import { openRelay } from '../ground/relay/openRelay.ts'
import { gatherSessions } from '../identity/sessions/liveSessions.ts'
import { openCoins } from '../money/coins/openCoins.ts'
import { openCard } from '../money/payments/openCard.ts'
import { readConfig } from '../settings/config.ts'

// A separate server process for tests that kill it. It writes its address to the standard output.
const fault = readFault(process.env['CONCLAVE_FAULT'])
const clock = () => new Date()
const dataFolder = process.env['CONCLAVE_DATA'] ?? (await mkdtemp(path.join(tmpdir(), 'conclave-data-')))
// A test names a bucket of its own in the variables.
const config = readConfig({ ...process.env, CONCLAVE_DATA: dataFolder, PORT: '0', NODE_ENV: 'test' })
const database = connect(process.env['DATABASE_URL'] ?? '')
const { db } = database
const { http } = await makeApp(
  {
    config,
    ...{
      db,
      clock,
      hub: createHub(),
      node: randomUUID(),
      batch: makeBatch({ pool: database.pool, clock, fault }),
      marks: makeMarkBatch({ pool: database.pool, clock }),
      push: makePushQueue(),
      rings: makeRings(clock),
      bucket: await openBucket(config, dataFolder),
      card: await openCard({ provider: 'off' }, db, clock),
      outbound: makeOutbound({ isGuarded: true }),
      mail: makeMail(undefined, () => undefined),
      coins: openCoins(config.coins, clock),
      relay: openRelay(config.relay, clock),
      onion: openOnion(config, { dataFolder, log: pino({ level: 'silent' }) }),
      limits: makeLimits(clock),
      findSession: gatherSessions({ db, clock }),
      isMember: gatherMembers(db),
      saltKey: await readSecret(db, 'salt'),
      nameKey: await readSecret(db, 'names'),
      guaranteeKey: await readSecret(db, 'guarantees'),
      challengeKey: await readSecret(db, 'challenge'),
      inboxKey: await readSecret(db, 'inbox'),
      uploadKey: await readSecret(db, 'uploads'),
      vapidKey: await readSecret(db, 'vapid', newVapidKey),
    },
    ...(fault && { fault }),
  },
  { log: pino({ level: 'silent' }), database },
)
process.stdout.write(`${await http.listen({ port: 0, host: '127.0.0.1' })}\n`)
