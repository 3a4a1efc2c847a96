// Keeps calls in flight to the servers at argv[2], argv[3]… as @grpc/grpc-js does, until standard input ends. Prints how many were
// answered, and each failure.
const grpc = require('@grpc/grpc-js');

const target = 'ipv4:' + process.argv.slice(2).join(',');
const client = new grpc.Client(target, grpc.credentials.createInsecure(), {
  'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
});
const path = '/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit';
const same = (bytes) => bytes;
const text = (number, bytes) => Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), Buffer.from(bytes)]);
const request = (user) => Buffer.concat([
  text(1, 'api'),
  text(2, text(1, Buffer.concat([text(1, 'user'), text(2, user)]))),
]);

let stopped = false;
let answered = 0;
const failures = [];
const ask = (user) => new Promise((resolve) => {
  const deadline = { deadline: Date.now() + 10000 };
  client.makeUnaryRequest(path, same, same, request(user), new grpc.Metadata(), deadline, (error) => resolve(error));
});
const caller = async (user) => {
  while (!stopped && failures.length < 100) {
    const error = await ask(user);
    if (error) {
      failures.push(`${error.code} ${error.details}`);
    } else {
      answered += 1;
    }
  }
};

process.stdin.resume();
process.stdin.on('end', () => {
  stopped = true;
});
Promise.all(Array.from({ length: 16 }, (_, i) => caller(`u${i}`))).then(() => {
  console.log(`failed=${failures.length}${failures.map((each) => ` [${each}]`).join('')}`);
  console.log(`answered=${answered}`);
  client.close();
});
