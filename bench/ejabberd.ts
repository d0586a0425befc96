import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Contestant, countRows } from './contestant.ts'
import { type Ground, inDatabase } from './ground.ts'
import { adopt } from './program.ts'
import { scratchFolder } from './scratch.ts'
import { answered, freePort, startTcpPostgres, type TcpPostgres } from './tcp.ts'
import { openStream, type Stream } from './xmpp.ts'

const CONTROL = ['/usr/sbin/ejabberdctl', '/usr/local/sbin/ejabberdctl', '/usr/bin/ejabberdctl']
const SCHEMA = ['/usr/share/ejabberd/sql/pg.sql', '/usr/local/share/ejabberd/sql/pg.sql']
const HOST = 'localhost'
const PASSWORD = 'bench'
const BODY_BYTES = 512
const START_MS = 60_000

const control = (): string | undefined => CONTROL.find((file) => existsSync(file))
const schema = (): string | undefined => SCHEMA.find((file) => existsSync(file))

export const isEjabberdInstalled = (): boolean => control() !== undefined && schema() !== undefined

/**
 * The machine's ejabberd with a folder of its own, keeping every message by mod_mam in the same PostgreSQL. A message is acknowledged
 * by XEP-0198: its stream has stored it by then.
 */
export async function enterEjabberd(_ground: Ground, count: number): Promise<Contestant> {
  const postgres = await startTcpPostgres()
  const folder = scratchFolder('ejabberd')
  await inDatabase(postgres.url, readFileSync(schema() ?? '', 'utf8'))
  await inDatabase(
    postgres.url,
    `insert into users (username, password) select p || n, '${PASSWORD}' from unnest(array['a', 'b']) p, generate_series(0, ${count - 1}) n`,
  )
  const port = await freePort()
  writeFileSync(path.join(folder, 'ejabberd.yml'), settings(postgres, port))
  const program = start(folder)
  const first = await answered(() => openStream(port, HOST, 'a0', PASSWORD, true), START_MS)
  first.close()
  const body = 'x'.repeat(BODY_BYTES)
  const senders: Stream[] = []
  const receivers: Stream[] = []
  // One after another: its queue of new connections is short.
  for (let at = 0; at < count; at++) {
    senders.push(await openStream(port, HOST, `a${at}`, PASSWORD, true))
    receivers.push(await openStream(port, HOST, `b${at}`, PASSWORD, false))
  }
  const contestant: Contestant = {
    name: 'ejabberd',
    pid: program.pid,
    postgresPid: postgres.pid,
    hear: undefined,
    hasReceivers: true,
    async send(at, id) {
      await senders[at]?.say(`<message to='b${at}@${HOST}' type='chat' id='${id}'><body>${body}</body></message>`)
    },
    // Each message is kept twice: for its sender and for its receiver.
    stored: async () => (await countRows(postgres.url, 'archive')) / 2,
    async stop() {
      for (const stream of [...senders, ...receivers]) stream.close()
      await program.stop()
      await postgres.stop()
    },
  }
  for (const receiver of receivers) receiver.onMessage = (id) => contestant.hear?.(id)
  return contestant
}

/** Erlang itself: the command beside it steps down to an account of its own, which may not enter the folder. */
function start(folder: string) {
  const script = readFileSync(control() ?? '', 'utf8')
  const setting = (name: string) => new RegExp(`^${name}=['"]?([^'"\n]+)['"]?$`, 'm').exec(script)?.[1] ?? ''
  mkdirSync(path.join(folder, 'mnesia'))
  const child = spawn(setting('ERL'), ['-noinput', '-mnesia', 'dir', `"${folder}/mnesia"`, '-s', 'ejabberd'], {
    cwd: folder,
    stdio: 'ignore',
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      ERL_LIBS: setting('ERL_LIBS'),
      EJABBERD_CONFIG_PATH: path.join(folder, 'ejabberd.yml'),
      EJABBERD_LOG_PATH: path.join(folder, 'ejabberd.log'),
    },
  })
  return adopt(child)
}

/** As open as the product is in its own run: no TLS on loopback, no shaping, sixteen connections to the database. */
function settings(postgres: TcpPostgres, port: number): string {
  return `
hosts: [${HOST}]
loglevel: error
listen:
  - {port: ${port}, ip: "127.0.0.1", module: ejabberd_c2s, starttls: false, shaper: none, max_stanza_size: 262144}
auth_method: sql
auth_password_format: plain
default_db: sql
sql_type: pgsql
sql_server: "127.0.0.1"
sql_port: ${postgres.port}
sql_database: postgres
sql_username: conclave
sql_password: "${postgres.password}"
sql_pool_size: 16
modules:
  mod_mam: {db_type: sql, default: always}
  mod_stream_mgmt: {resend_on_timeout: false, resume_timeout: 0}
`
}
