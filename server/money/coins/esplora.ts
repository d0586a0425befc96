import { z } from 'zod'
import { type BitcoinNode, transactionShape } from './bitcoinnode.ts'
import { NodeError } from './chain.ts'
import { parsedJson, type Upstream } from './upstream.ts'

/** A page has 25 confirmed transactions, and an address one payment. */
const PAGE = 25
const PAGES_MAX = 8

const transactions = z.array(transactionShape)

export function openEsplora(url: string, upstream: Upstream): BitcoinNode {
  async function ask(path: string): Promise<string> {
    const text = await upstream.get(url + path)
    if (text === undefined) throw new NodeError(`The node of Bitcoin does not know ${path.split('/')[1]}`)
    return text
  }

  return {
    genesis: async () => (await ask('/block-height/0')).trim(),
    height: async () => z.coerce.number().parse((await ask('/blocks/tip/height')).trim()),
    async transaction(txid) {
      const text = await upstream.get(`${url}/tx/${txid}`)
      return text === undefined ? undefined : transactionShape.parse(parsedJson(text))
    },
    // Esplora knows every address.
    watch: async () => undefined,
    async transactionsOf(address) {
      let page = transactions.parse(parsedJson(await ask(`/address/${address}/txs`)))
      const all = [...page]
      for (let count = 1; count < PAGES_MAX; count++) {
        const confirmed = page.filter(({ status }) => status.confirmed)
        const last = confirmed.at(-1)
        if (!last || confirmed.length < PAGE) break
        page = transactions.parse(parsedJson(await ask(`/address/${address}/txs/chain/${last.txid}`)))
        all.push(...page)
      }
      return all
    },
  }
}
