import { createRequire } from 'node:module'
import path from 'node:path'
import { installPackages } from './install.ts'

interface Command {
  input: object
}

/** What the tests use of AWS's SDK, which checks its input itself. */
export interface Sdk {
  client: {
    S3Client: new (
      settings: object,
    ) => {
      send(command: Command): Promise<Record<string, unknown>>
      config: { sha256: unknown }
    }
  } & Record<`${string}Command`, new (input: object) => Command>
  presigner: { getSignedUrl(client: object, command: Command, options: object): Promise<string> }
  signature: {
    SignatureV4: new (
      settings: object,
    ) => {
      sign(request: object, options: object): Promise<{ headers: Record<string, string> }>
      presign(request: object, options: object): Promise<{ query: Record<string, string> }>
    }
  }
}

/** Loads AWS's SDK (22 MB), which the first test that needs it installs. undefined where that is not possible. */
export function loadSdk(): Sdk | undefined {
  const folder = installPackages('aws', 'AWS’s SDK', 20)
  if (folder === undefined) return undefined
  // It warns that versions of next year need a newer Node.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true'
  const load = createRequire(path.join(folder, 'package.json'))
  return {
    client: load('@aws-sdk/client-s3'),
    presigner: load('@aws-sdk/s3-request-presigner'),
    signature: load('@smithy/signature-v4'),
  }
}
