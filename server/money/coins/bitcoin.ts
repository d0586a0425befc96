import { z } from 'zod'
import { readAccountKey } from '../../settings/accountkey.ts'
import type { BitcoinNetwork, CoinSettings } from '../../settings/coinsettings.ts'
import { openBitcoind } from './bitcoind.ts'
import type { Transaction } from './bitcoinnode.ts'
import { type Arrival, type Chain, NodeError } from './chain.ts'
import { openEsplora } from './esplora.ts'
import type { Upstream } from './upstream.ts'

/** Block 0 and the letters of addresses tell the chains apart. */
const NETWORKS: Record<BitcoinNetwork, { genesis: string; bech32: string }> = {
  mainnet: { genesis: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f', bech32: 'bc' },
  testnet: { genesis: '000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943', bech32: 'tb' },
  signet: { genesis: '00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6', bech32: 'tb' },
  regtest: { genesis: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206', bech32: 'bcrt' },
}

/** Derives P2WPKH addresses (BIP-84), external chain. */
export function openBitcoin(
  { node: { kind, url }, xpub, network }: NonNullable<CoinSettings['bitcoin']>,
  upstream: Upstream,
): Chain {
  const node = kind === 'bitcoind' ? openBitcoind(url, upstream) : openEsplora(url, upstream)
  let isChecked = false

  async function head(): Promise<number> {
    if (!isChecked) {
      if ((await node.genesis()) !== NETWORKS[network].genesis) throw new NodeError(`The node of Bitcoin is not of ${network}`)
      isChecked = true
    }
    return z
      .number()
      .int()
      .nonnegative()
      .parse(await node.height())
  }

  return {
    head,
    tryLook: head,
    async addressAt(index) {
      const { p2wpkh, NETWORK } = await import('@scure/btc-signer')
      const { publicKey } = readAccountKey(xpub).deriveChild(0).deriveChild(index)
      const { address } = publicKey ? p2wpkh(publicKey, { ...NETWORK, bech32: NETWORKS[network].bech32 }) : {}
      if (!address) throw new Error('BITCOIN_XPUB gives no address')
      return address
    },
    async pays(txid, address) {
      const transaction = await node.transaction(txid)
      return transaction && arrivalsOf(transaction, address).length > 0
    },
    async isUntouched(address) {
      await node.watch(address)
      return (await node.transactionsOf(address)).length === 0
    },
    async look(address, { nativeUnits }, given) {
      const found = await node.transactionsOf(address)
      const arrivals = found.flatMap((each) => arrivalsOf(each, address))
      // No arrival may lie in a block above.
      const isAbove = given === undefined || arrivals.some(({ height }) => (height ?? 0) > given)
      const height = isAbove ? await head() : given
      return { head: height, scannedHeight: height, nativeUnits, arrivals }
    },
  }
}

function arrivalsOf({ txid, vout, status }: Transaction, address: string): Arrival[] {
  const block = status.confirmed
    ? { height: status.block_height, blockHash: status.block_hash, at: new Date(status.block_time * 1000) }
    : { height: null, blockHash: null, at: null }
  return vout.flatMap(({ value, scriptpubkey_address }, index) =>
    scriptpubkey_address === address ? [{ reference: txid, index, asset: 'bitcoin', units: BigInt(value), ...block }] : [],
  )
}
