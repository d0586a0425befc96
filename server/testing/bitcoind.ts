import { type Block, serveHere, type Transfer } from './madechain.ts'

/**
 * The same chain as the JSON-RPC of bitcoind answers it: errors come with status 500, amounts are decimals, a wallet shows what has
 * come to the addresses that it watches, also what was replaced or reorganised since.
 */
export async function startBitcoind(chain: {
  blocks: Block[]
  state: { isUp: boolean }
  waiting(): Transfer[]
  all(): Transfer[]
}) {
  const { blocks, state, waiting, all } = chain
  const watched = new Set<string>()
  const unknown = { error: { code: -5, message: 'Invalid or non-wallet transaction id' } }
  const sentBy = (txid: string) => all().find(({ transaction }) => transaction === txid)
  const heightOf = (txid: string) =>
    blocks.findIndex(({ transfers }) => transfers.some(({ transaction }) => transaction === txid))
  const shown = (sent: Transfer) => {
    const height = heightOf(sent.transaction)
    const block = blocks[height]
    const paid = sent.units.map((units, n) => ({ value: Number(units) / 1e8, n, scriptPubKey: { address: sent.address } }))
    return {
      ...{ txid: sent.transaction, confirmations: block ? blocks.length - height : 0 },
      ...(block && { blockhash: block.hash, blocktime: block.seconds }),
      vout: [...paid, { value: 0.00000007, n: paid.length, scriptPubKey: {} }],
    }
  }
  const results: Record<string, (params: unknown[]) => unknown> = {
    getblockcount: () => blocks.length - 1,
    getblockhash: ([height]) => blocks[Number(height)]?.hash,
    getblockheader: ([hash]) => ({ height: blocks.findIndex((block) => block.hash === hash) }),
    getdescriptorinfo: ([descriptor]) => ({ descriptor: `${descriptor}#checksum` }),
    importdescriptors: ([wanted]) =>
      (wanted as { desc: string }[]).map(({ desc }) => {
        watched.add(desc.replace(/^addr\((\w+)\)#checksum$/, '$1'))
        return { success: true }
      }),
    getaddressinfo: ([address]) => ({ ismine: watched.has(String(address)) }),
    listreceivedbyaddress: ([, , , address]) =>
      watched.has(String(address))
        ? [{ txids: all().flatMap((each) => (each.address === address ? [each.transaction] : [])) }]
        : [],
    gettransaction: ([txid]) => {
      const sent = sentBy(String(txid))
      if (!sent || !watched.has(sent.address)) return unknown
      const { vout, ...rest } = shown(sent)
      return { ...rest, ...(rest.blockhash && { blockheight: heightOf(sent.transaction) }), decoded: { vout } }
    },
    getmempoolentry: ([txid]) => (waiting().some(({ transaction }) => transaction === txid) ? { vsize: 141 } : unknown),
    getrawtransaction: ([txid]) => {
      const sent = sentBy(String(txid))
      const isThere = sent && (heightOf(sent.transaction) >= 0 || waiting().includes(sent))
      return isThere ? shown(sent) : unknown
    },
  }
  const url = await serveHere(({ headers }, body) => {
    if (!state.isUp) return new Error('503')
    if (headers.authorization !== `Basic ${Buffer.from('user:pass').toString('base64')}`) return new Error('401')
    const { id, method, params } = JSON.parse(body)
    const result = results[method]?.(params) ?? { error: { code: -32_601, message: 'Method not found' } }
    const isError = typeof result === 'object' && 'error' in result
    return isError ? { status: 500, json: { id, result: null, ...result } } : { id, result, error: null }
  })
  return { url: `${url.replace('//', '//user:pass@')}/wallet/conclave`, losesWallet: () => watched.clear() }
}
