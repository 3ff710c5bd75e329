/**
 * The weights as they lie in memory.
 *
 * @param shards the files' bytes, in their order
 * @param pieces how parts of the file become numbers, and to which offset they go; without them the
 *   file is the memory
 * @param bytes the length of the memory
 */
export function widenedWeights(shards, pieces, bytes) {
  const file = joinedBytes(shards);
  if (!pieces) return file;
  const memory = new Uint8Array(bytes);
  let from = 0;
  for (const piece of pieces) {
    const stored = file.subarray(from, from + storedBytes(piece));
    from += stored.length;
    if (piece.as === "raw") memory.set(stored, piece.at);
    else new Float32Array(memory.buffer, piece.at, piece.count).set(widenedPiece(stored, piece));
  }
  return memory;
}

function joinedBytes(shards) {
  const file = new Uint8Array(shards.reduce((sum, shard) => sum + shard.length, 0));
  let at = 0;
  for (const shard of shards) {
    file.set(shard, at);
    at += shard.length;
  }
  return file;
}

function storedBytes({ as, count, bytes }) {
  return { raw: bytes, float16: 2 * count, uint8: count }[as];
}

function widenedPiece(stored, { as, scale, least }) {
  if (as === "uint8") return new Float32Array(stored).map((byte) => byte * scale + least);
  const table = float16Table();
  const values = new Float32Array(stored.length / 2);
  for (let i = 0; i < values.length; i++) {
    values[i] = table[stored[2 * i] | (stored[2 * i + 1] << 8)];
  }
  return values;
}

let valuesOfFloat16;

/** The value of each number of 16 bits. */
function float16Table() {
  valuesOfFloat16 ??= Float32Array.from({ length: 1 << 16 }, (_, bits) => {
    const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
    const size = exponent ? (1024 + fraction) * 2 ** (exponent - 25) : fraction * 2 ** -24;
    return bits >> 15 ? -size : size;
  });
  return valuesOfFloat16;
}
