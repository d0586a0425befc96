// A Bitcoin node of regtest in memory with an HTTP API of Esplora's shape, and what tests do to it. Arguments: the folder with bcoin.
const Module = require('node:module')
const http = require('node:http')
const path = require('node:path')

// bcoin without compiled parts: a database that is not used in memory, and a hash that it brings in JavaScript too.
const load = Module._load
Module._load = (id, parent, ...rest) => {
  if (id === 'leveldown') return class {}
  if (/murmur3([.]js)?$/.test(id) && parent?.filename?.includes('mrmr'))
    return load(path.join(path.dirname(parent.filename), 'murmur3-browser.js'), parent, ...rest)
  return load(id, parent, ...rest)
}

const { FullNode, Address, TX, Network } = require(path.join(process.argv[2], 'node_modules/bcoin'))
const network = Network.get('regtest')
// The prefix of regtest in other software.
network.addressPrefix.bech32 = 'bcrt'
const reversed = (hex) => Buffer.from(hex, 'hex').reverse().toString('hex')

async function start() {
  const node = new FullNode({
    ...{ network: 'regtest', memory: true, workers: false, listen: false, noDns: true, seeds: [], nodes: [], only: [] },
    ...{ httpHost: '127.0.0.1', httpPort: 0, noAuth: true, indexTx: true, indexAddress: true, logConsole: false, logFile: false },
  })
  await node.open()

  const shown = ({ tx, height, block, time }) => ({
    txid: tx.txid(),
    vout: tx.outputs.map((output) => ({ value: output.value, scriptpubkey_address: output.getAddress()?.toString(network) })),
    status:
      height >= 0
        ? { confirmed: true, block_height: height, block_hash: reversed(block.toString('hex')), block_time: time }
        : { confirmed: false },
  })

  /** Mines empty blocks on top of an earlier one until their chain is the longest. */
  async function reorganise(depth) {
    const { chain, miner, mempool } = node
    const before = miner.mempool
    let tip = await chain.getEntryByHeight(chain.height - depth)
    miner.mempool = null
    for (let made = 0; made <= depth; made++) {
      const block = await miner.cpu.mineBlock(tip, miner.getAddress())
      tip = (await chain.add(block)) ?? (await chain.getEntry(block.hash('hex')))
    }
    miner.mempool = before
    await mempool.reset()
  }

  const verbs = {
    async mine([address, count, seconds]) {
      network.time.offset = Number(seconds) - Math.floor(Date.now() / 1000)
      for (let made = 0; made < Number(count); made++) {
        const block = await node.miner.cpu.mineBlock(node.chain.tip, Address.fromString(address, network))
        await node.chain.add(block)
      }
    },
    send: ([hex]) => node.mempool.addTX(TX.fromRaw(Buffer.from(hex, 'hex'))),
    async drop([txid]) {
      const entry = node.mempool.getEntry(reversed(txid))
      if (entry) await node.mempool.removeEntry(entry)
    },
    reorganise: ([depth]) => reorganise(Number(depth)),
    async coins([address]) {
      const coins = await node.getCoinsByAddress(Address.fromString(address, network))
      return coins.map(({ hash, index, value, height }) => ({ txid: reversed(hash.toString('hex')), index, value, height }))
    },
  }

  async function answer(url) {
    const [, first, ...rest] = url.split('/')
    if (first === 'control') return (await verbs[rest[0]](rest.slice(1))) ?? {}
    if (url === '/blocks/tip/height') return node.chain.height
    if (first === 'block-height') {
      const hash = await node.chain.getHash(Number(rest[0]))
      return hash ? reversed(hash.toString('hex')) : undefined
    }
    if (first === 'tx') {
      const hash = reversed(rest[0])
      const waiting = node.mempool.getEntry(hash)
      const mined = await node.getMeta(hash)
      return waiting ? shown({ tx: waiting.tx, height: -1 }) : mined ? shown(mined) : undefined
    }
    if (first !== 'address') return undefined
    return (await node.getMetaByAddress(Address.fromString(rest[0], network))).map(shown)
  }

  // A transaction of 300 outputs stands in the address.
  const server = http.createServer({ maxHeaderSize: 256 * 1024 }, (request, response) => {
    answer(request.url).then(
      (found) => {
        response.writeHead(found === undefined ? 404 : 200)
        response.end(typeof found === 'string' ? found : JSON.stringify(found ?? null))
      },
      (error) => response.writeHead(500).end(String(error?.stack)),
    )
  })
  server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`))
}

// A test that is gone must not leave a node behind.
process.stdin.on('end', () => process.exit(0)).resume()
start().catch((error) => {
  process.stderr.write(`${error.stack}\n`)
  process.exit(1)
})
