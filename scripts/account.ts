import path from 'node:path'
import { reviewOutcomeShape, transactionHash } from '../contract/money/coinreviews.ts'
import { tierShape } from '../contract/money/plans.ts'
import { endSessions } from '../server/account/account/operator.ts'
import { findAnchor, readAnchors } from '../server/admin/anchors.ts'
import { checkBooks } from '../server/admin/audit.ts'
import { giveTier, makeAdmin, settleCoins } from '../server/admin/operator.ts'
import { defaultDataFolder } from '../server/ground/db/binaries.ts'
import { connect, type Database } from '../server/ground/db/connect.ts'
import { DataInUseError, runningUrl, startPostgres } from '../server/ground/db/embedded.ts'
import { changeClients, showOnion } from '../server/ground/onion/commands.ts'
import { OnionError } from '../server/ground/onion/onionError.ts'
import { checkProvider } from '../server/money/check/checks.ts'
import { openCoins } from '../server/money/coins/openCoins.ts'
import { listReviews } from '../server/money/coins/reviews.ts'
import { sumLedger } from '../server/money/ledger/audit.ts'
import { PlanError } from '../server/money/ledger/ledger.ts'
import { openCardBeside } from '../server/money/payments/openCard.ts'
import { OtherProviderError, requireSameProvider } from '../server/money/payments/provider.ts'
import { listAccountPlans } from '../server/money/plans/plans.ts'
import { Refusal } from '../server/refuse.ts'
import { ConfigError, readConfig } from '../server/settings/config.ts'
import { runCommand } from './runCommand.ts'

const root = path.resolve(import.meta.dirname, '..')
const USAGE = `npm run account -- <verb>
  set-tier <username> <${tierShape.options.join('|')}> [end date, such as 2027-01-31: the first day without, UTC]
  make-admin <username>
  list
  check-ledger [a hash that was kept: of the audit trail, or of the ledger]
  check-provider [--mend]
  sum-ledger
  end-sessions <username>
  onion
  onion-client <add|remove> <name>
  onion-client list
  coin-reviews
  resolve-review <id> <${reviewOutcomeShape.options.join('|')}> [the transaction by which it was sent back]`

const CHAINS = { audit: 'The audit trail', ledger: 'The ledger' } as const

// PostgreSQL's codes for a missing table, column or function.
const MISSING = new Set(['42P01', '42703', '42883'])

const clock = () => new Date()

/** The command cannot be carried out; the message says why. */
class Unable extends Error {}

await runCommand(run, explain)

/** Formats the error as one line. */
function explain(error: unknown): string {
  for (const expected of [Unable, PlanError, Refusal, ConfigError, OtherProviderError, DataInUseError, OnionError])
    if (error instanceof expected) return error.message
  const isCards = error instanceof Error && 'type' in error && String(error.type).startsWith('Stripe')
  if (error instanceof Error && (isCards || error instanceof Refusal))
    return `${error.message}. A card subscription of this account ends first: run this with the settings of the server`
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  if (MISSING.has(code)) return 'The database is of an older version: start the server once, it brings the database up to date'
  return `The database could not be changed: ${cause instanceof Error ? cause.message : cause}`
}

async function run([verb, ...words]: string[]): Promise<string[]> {
  // These need no database.
  if (verb === 'onion') return showOnion(readConfig(process.env), dataFolder())
  if (verb === 'onion-client') {
    const lines = await changeClients(readConfig(process.env), dataFolder(), words)
    if (!lines) throw new Unable(USAGE)
    return lines
  }
  const place = await open()
  const database = connect(place.url)
  try {
    return await runVerb(database, process.argv.slice(2))
  } finally {
    await database.close()
    await place.close()
  }
}

function dataFolder(): string {
  return readConfig(process.env).dataFolder ?? defaultDataFolder(root)
}

async function runVerb({ db }: Database, [verb, username = '', tier, endDate]: string[]): Promise<string[]> {
  switch (verb) {
    case 'set-tier': {
      if (tier === undefined) throw new Unable(USAGE)
      const end = endDate === undefined ? undefined : readDay(endDate)
      const card = await openCardBeside(readConfig(process.env).card, db, clock, (details, text) => console.error(text, details))
      const named = await giveTier({ db, clock, card }, { username, tier, endDate: end })
      return [`${named} is given ${tier}${end ? ` until ${end.toISOString()}` : ''}`]
    }
    case 'make-admin':
      return [`${requireFound(await makeAdmin(db, username), username)} is now an administrator`]
    case 'end-sessions': {
      const { username: named, count } = requireFound(await endSessions(db, username), username)
      return [`${count} sessions of ${named} ended`]
    }
    case 'list': {
      const rows = await listAccountPlans(db, new Date())
      if (rows.length === 0) return ['No accounts yet']
      return rows.map(({ username: name, tier: now, given, endDate: end, isAdmin, isActive }) => {
        const dates = end && (now === given ? `until ${end.toISOString()}` : `${given} until ${end.toISOString()}`)
        return [name, now, dates, isAdmin && 'administrator', !isActive && 'blocked'].filter(Boolean).join('  ')
      })
    }
    case 'check-ledger': {
      if (username && !/^[0-9a-f]{64}$/.test(username))
        throw new Unable(`"${username}" is no hash: 64 digits, as the log has them`)
      const { accounts, differences } = await checkBooks({ db, clock })
      const kept = username ? await findAnchor(db, username) : undefined
      if (username && !kept) differences.push(`no row has the hash ${username}: rows were cut off, or the chain was written anew`)
      if (differences.length > 0) throw new Unable(differences.join('\n'))
      return [
        `The plans of ${accounts} accounts are what the ledger says`,
        ...(await readAnchors(db)).map(
          ({ chain, count, hash }) => `${CHAINS[chain]}: ${count} rows, each fits the one before. Newest: ${hash ?? 'none'}`,
        ),
        ...(kept ? [`The hash that was kept is that of row ${kept.seq} of ${CHAINS[kept.chain].toLowerCase()}`] : []),
      ]
    }
    case 'check-provider': {
      if (username && username !== '--mend') throw new Unable(USAGE)
      const config = readConfig(process.env)
      const card = await openCardBeside(config.card, db, clock, (details, text) => console.error(text, details))
      // Cards that are off here are not asked: the server must have them off too.
      if (card.provider === 'off') await requireSameProvider(db, config.card, card.client)
      const coins = openCoins(config.coins, clock)
      const { looked, differences, mended } = await checkProvider(
        { db, clock, card, coins },
        username === '--mend' ? 'all' : 'nothing',
      ).catch((error: unknown) => {
        const [failure] = card.notes.failures()
        if (!(error instanceof Refusal) || !failure) throw error
        const { type, code, requestId } = failure
        throw new Unable(`${error.message} (${[type, code, requestId].filter(Boolean).join(', ')})`)
      })
      for (const line of mended) console.log(line)
      if (differences.length > 0) throw new Unable(differences.join('\n'))
      return [`${looked} things at the card provider and on the chains are what is written here`]
    }
    case 'sum-ledger':
      await sumLedger(db)
      return ['The sums of income, the counts of plans and the list of accounts are made anew']
    case 'coin-reviews': {
      const rows = await listReviews(db, 100)
      if (rows.length === 0) return ['Nothing waits for a person']
      return rows.map(
        ({ id, reason, payer, assetAmount, asset, amount, currency, paymentAddress, addressIndex, walletAddress, outcomes }) =>
          [
            id,
            reason,
            payer.username,
            `${assetAmount} ${asset}`,
            `of ${amount} ${currency}`,
            `at ${paymentAddress}`,
            addressIndex !== null && `number ${addressIndex}`,
            walletAddress && `back to ${walletAddress}`,
            outcomes.join('|'),
          ]
            .filter(Boolean)
            .join('  '),
      )
    }
    case 'resolve-review': {
      const outcome = reviewOutcomeShape.safeParse(tier).data
      const sentBack = transactionHash.optional().safeParse(endDate)
      if (!outcome || !sentBack.success || !/^[0-9a-f-]{36}$/.test(username)) throw new Unable(USAGE)
      await settleCoins(db, { reviewId: username, outcome, transactionHash: sentBack.data })
      return [`The review is closed: ${outcome}`]
    }
    default:
      throw new Unable(USAGE)
  }
}

function requireFound<T>(found: T | undefined, username: string): T {
  if (found === undefined) throw new Unable(`Nobody is called ${username}`)
  return found
}

/** Parses a date as the beginning of that day, UTC. */
function readDay(text: string): Date {
  const day = new Date(`${text}T00:00:00Z`)
  // Date parses the 31st of a shorter month as a day of the next month.
  const isDay = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)
  if (!isDay) throw new Unable(`"${text}" is no date, such as 2027-01-31`)
  return day
}

/** Opens the database of DATABASE_URL or of the running server, or starts PostgreSQL for this command. */
async function open(): Promise<{ url: string; close: () => Promise<void> }> {
  const config = readConfig(process.env)
  const nothing = async () => undefined
  if (config.databaseUrl !== undefined) return { url: config.databaseUrl, close: nothing }
  const running = await runningUrl(dataFolder(), 'conclave')
  if (running !== undefined) return { url: running, close: nothing }
  const cluster = await startPostgres({ root, dataFolder: dataFolder(), say: console.error })
  return { url: cluster.url('conclave'), close: () => cluster.stop() }
}
