// Calls the gRPC server at argv[2] as @grpc/grpc-js does: many calls at once, and one that is wrong. Prints what came back.
const grpc = require('@grpc/grpc-js');

const client = new grpc.Client(process.argv[2], grpc.credentials.createInsecure());
const path = '/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit';
const same = (bytes) => bytes;
const text = (number, bytes) => Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), Buffer.from(bytes)]);
const request = (domain) => Buffer.concat([
  text(1, domain),
  text(2, text(1, Buffer.concat([text(1, 'user'), text(2, 'u1')]))),
]);
const ask = (domain) => new Promise((resolve) => {
  const deadline = { deadline: Date.now() + 20000 };
  client.makeUnaryRequest(path, same, same, request(domain), new grpc.Metadata(), deadline, (error, answer) =>
    resolve(error ? `${error.code} ${error.details}` : `code ${answer[1]}`));
});

(async () => {
  const answers = await Promise.all(Array.from({ length: 500 }, () => ask('api')));
  const count = (what) => answers.filter((each) => each === what).length;
  console.log(`ok=${count('code 1')} over=${count('code 2')} empty=${await ask('')}`);
  client.close();
})();
